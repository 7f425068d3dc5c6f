"""Readers of parliaments' own formats, one module a format; each yields RDF.

They know nothing of the service: whoever loads hands them files, a mapping and a base IRI.
"""
