"""The conformance suite: a torch-like library compared with real torch, fact by fact.

python -m conformance run --subject impl
"""
