"""The conformance suite: any torch-like library, held against real torch, fact by fact.

python -m conformance run --subject impl
"""
