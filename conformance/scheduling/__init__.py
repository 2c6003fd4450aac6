"""What Dask runs for the suite: the chunks of a sweep, and the tests of a run."""
