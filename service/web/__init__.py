"""The web: one Flask application, one blueprint a surface."""
