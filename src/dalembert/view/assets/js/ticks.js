// Round numbers along an axis, and numbers as text.

export function ticks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough) ?? 10);
  const made = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * span; x += step) made.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return made;
}

export function short(x) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(size < 1e-3 || size >= 1e5 ? 1 : 2).replace("e+", "e").replace(".0e", "e").replace("-", "−").replace("e-", "e−");
  return String(Number(x.toPrecision(4))).replace("-", "−");
}

export function value(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? x.toExponential(3) : x.toFixed(size >= 1000 ? 1 : size >= 10 ? 3 : 4);
  return text.replace(/-/g, "−");
}
