"""Sessions, properties, expectations and the report model."""
