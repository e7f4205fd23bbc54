"""Drawing: solids, bars, joint marks and wires that stand for bodies, and pictures without a page."""
