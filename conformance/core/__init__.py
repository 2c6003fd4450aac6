"""Cases, domains, profiles and float formats."""
