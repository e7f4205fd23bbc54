import { bytes } from "../decode.js";
import { MATHEMATICS } from "./mathematics.js";
// A compiled program in WebAssembly and its memory: named arrays behind the program's own data, begun as Python laid them out.

const WASM_PAGE = 65536;

/** The modules of a page, unzipped and compiled. */
export async function compileAll(codes) {
  const unzip = async (code) => {
    const stream = new Blob([bytes(code)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  };
  return Promise.all(codes.map(unzip));
}

export class Machine {
  constructor(module, live, index) {
    this.live = live;
    this.index = index;
    this.n_q = live.coordinates.length;
    this.n_u = live.speeds.length;
    this.n_z = live.states.names.length;
    this.n = this.n_q + this.n_u + this.n_z;
    this.width = this.n + live.beside; // of a row that the march writes: laws' losses, works, forces and states follow the state
    this.code = new WebAssembly.Instance(module, { Math: MATHEMATICS }).exports;
    this.places = {};
    this.end = live.heaps[index];
    const work = Math.max(Number(this.code["k.work_size"]()) + 1, live.work);
    this.reserve("memory", live.memory.length);
    this.reserve("inputs", live.inputs[index].length);
    this.reserve("work", work);
    this.reserve("counters", 8, BigInt64Array);
    this.inputs.set(live.inputs[index]);
  }

  /** An array of this size, as a property of this name; what it held is not kept where it must grow. */
  reserve(name, size, Type = Float64Array) {
    const place = this.places[name];
    if (place && place.room >= size) place.size = size;
    else {
      const room = place ? Math.ceil(1.5 * size) : size;
      this.places[name] = { at: this.end, size, room, Type };
      this.end += 64 * Math.ceil(room / 8 + 1);
      const missing = this.end - this.code.memory.buffer.byteLength;
      if (missing > 0) this.code.memory.grow(Math.ceil(missing / WASM_PAGE));
    }
    for (const [each, { at, size: length, Type: Kind }] of Object.entries(this.places)) {
      if (this[each]?.buffer !== this.code.memory.buffer || each === name) this[each] = new Kind(this.code.memory.buffer, at, length);
    }
    return this[name];
  }

  /** Where an array, or an element of it, lies in the program's memory. */
  address(name, element = 0) {
    return this.places[name].at + 8 * element;
  }

  /** Calls a function: texts are names of arrays, everything else goes as it is. */
  call(name, ...given) {
    const status = this.code[`k.${name}`](...given.map((x) => (typeof x === "string" ? this.address(x) : x)));
    return status === undefined ? 0 : Number(status);
  }

  has(name) {
    return `k.${name}` in this.code;
  }

  part(name) {
    const [a, b] = this.live.layout[name];
    return this.memory.subarray(a, b);
  }

  hasPart(name) {
    return name in this.live.layout;
  }

  /** States of elements among parameters. */
  states(parameters) {
    const { at } = this.live.states;
    return parameters.subarray(at, at + this.n_z);
  }

  input(name) {
    const [a, b] = this.live.inputLayout[name];
    return this.inputs.subarray(a, b);
  }

  inputAddress(name) {
    return this.address("inputs", this.live.inputLayout[name][0]);
  }
}
