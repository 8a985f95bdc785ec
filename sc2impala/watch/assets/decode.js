/* Arrays of the data: see sc2impala/watch/packing.py. */

/** Returns a promise of the typed array that `packing.pack` has packed, with its `shape`. */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.zlib), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const buffer = await new Response(stream).arrayBuffer();
  const types = { Uint8: Uint8Array, Uint16: Uint16Array, Int32: Int32Array, Float32: Float32Array };
  const array = new types[packed.array](buffer);
  array.shape = packed.shape;
  if (packed.array !== 'Float32') {
    const row = packed.shape.slice(1).reduce((product, side) => product * side, 1);
    for (let i = row; i < array.length; i++) array[i] += array[i - row];
  }
  return array;
}

/** Returns a promise of a copy of a nested structure with all arrays unpacked. */
async function unpackAll(value) {
  if (Array.isArray(value)) return Promise.all(value.map(unpackAll));
  if (value === null || typeof value !== 'object') return value;
  if ('zlib' in value) return unpack(value);
  const entries = Object.entries(value).map(async ([name, each]) => [name, await unpackAll(each)]);
  return Object.fromEntries(await Promise.all(entries));
}
