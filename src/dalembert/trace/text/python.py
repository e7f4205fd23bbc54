"""stub"""
def expression_text(e): return f"<{e.op}>"
