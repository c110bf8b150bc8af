import { describe, expect, test } from 'vitest'
import { storedEmojiName, emojiOnly } from './emoji.ts'

describe('emojiNamed', () => {
  test.each(['thumbsup', 'thumbsdown', 'heart', 'tada', 'rocket', 'eyes', 'slight_smile', 'flag_de'])(
    'knows %s by the name that clients use',
    (name) => expect(storedEmojiName(name)).toBe(name),
  )

  test.each([
    ['+1', 'thumbsup'],
    ['-1', 'thumbsdown'],
    ['satisfied', 'laughing'],
    ['slightly_smiling_face', 'slight_smile'],
  ])('takes %s for %s', (alias, name) => expect(storedEmojiName(alias)).toBe(name))

  test.each(['', 'nope', ':heart:', 'Heart', 'constructor', '__proto__', '👍', 'digit_one'])(
    'knows no %j',
    (name) => expect(storedEmojiName(name)).toBeUndefined(),
  )
})

describe('emojiOnly', () => {
  test.each([
    [':thumbsup:', 'thumbsup'],
    ['  :+1:\n', 'thumbsup'],
    ['👍', 'thumbsup'],
    ['\n👍\uFE0F ', 'thumbsup'],
    ['❤', 'heart'],
    ['❤\uFE0F', 'heart'],
    ['1\uFE0F\u20E3', 'one'],
    ['🇩🇪', 'flag_de'],
    ['👨‍👩‍👧', 'family_mwg'],
  ])('takes %j for %s', (text, name) => expect(emojiOnly(text)).toBe(name))

  test('keeps the skin tone, as the names of clients do', () => {
    expect(emojiOnly('👍🏽')).toBe('thumbsup_tone3')
    expect(emojiOnly(':thumbsup_tone3:')).toBe('thumbsup_tone3')
  })

  test.each(['', ' ', '1', '#', '::', ':nope:', ':+1: :+1:', '👍👍', '👍 nice', 'nice :+1:', ':+1'])(
    'finds more or less than one emoji in %j',
    (text) => expect(emojiOnly(text)).toBeUndefined(),
  )

  test('does not read long texts', () => {
    expect(emojiOnly(`:${'x'.repeat(1_000_000)}:`)).toBeUndefined()
  })
})
