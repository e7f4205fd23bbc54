// Data of the page: JSON with arrays of numbers as base64.

const ARRAYS = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array };

export function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const made = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) made[i] = text.charCodeAt(i);
  return made;
}

/** A typed array, with its shape beside it. */
export function decode(packed) {
  const raw = bytes(packed.base64);
  const made = new ARRAYS[packed.type](raw.buffer, raw.byteOffset, raw.byteLength / ARRAYS[packed.type].BYTES_PER_ELEMENT);
  made.shape = packed.shape;
  return made;
}

/** Everything in the page, arrays decoded. */
export function readData() {
  const holder = document.getElementById("data");
  const data = JSON.parse(holder.textContent, (_, value) => (value && typeof value === "object" && "base64" in value ? decode(value) : value));
  holder.remove();
  return data;
}
