import fc from 'fast-check'

/**
 * Any Unicode character, for `fc.string`. Unlike the unit `binary`, it needs no table of all characters, which takes
 * seconds to build.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint))
