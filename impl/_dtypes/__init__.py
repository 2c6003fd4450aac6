"""The dtype table, the default dtype, and the dtypes of Python scalars."""
