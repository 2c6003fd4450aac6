"""What all operators share: registration, result types, device checks, copies and out=."""
