"""The functions of torch.cuda and torch.accelerator."""
