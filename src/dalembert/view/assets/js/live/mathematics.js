// Functions of mathematics that compiled code takes from outside, as the C library has them.

const LIKE_C = ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log"];

export const MATHEMATICS = {
  ...Object.fromEntries(LIKE_C.map((name) => [name, Math[name]])),
  fmod: (a, b) => a % b,
  // of 1 every power is 1, and of −1 every power that is an even number, as infinity is taken to be
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
};
