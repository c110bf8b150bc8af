import fc from 'fast-check'

/**
 * A unit for `fc.string`: any character. Its own unit `binary` means the same, but takes a second to set up, and this takes
 * none.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  // The halves of characters are none.
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
