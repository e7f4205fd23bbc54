// Sentences of the package, filled with names and numbers as Python writes them.

/** A sentence with its gaps filled. */
export function filled(sentence, gaps) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => gaps[name] ?? whole);
}

/** A number as Python's format `.6g` and the like write it. */
export function general(x, digits = 6) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent >= digits) {
    return `${bare(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return bare(x.toFixed(Math.max(0, digits - 1 - exponent)));
}

export function quotedList(names) {
  const quoted = names.map((name) => `"${name}"`);
  return quoted.length === 1 ? quoted[0] : `${quoted.slice(0, -1).join(", ")} and ${quoted[quoted.length - 1]}`;
}
