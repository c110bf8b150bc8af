import { expect, test } from 'vitest'
import { asSuggestion, suggestionBlocks, withoutSuggestions } from './blocks.ts'

test.each(['', 'one\n', '```\n````\ncode\n', '~~~\n', '  indented\n\n\n'])(
  'lines are suggested as they are: %j',
  (code) => {
    const text = `Before\n\n${asSuggestion(code, 2)}\n\nAfter`
    expect(suggestionBlocks(text)).toEqual([{ above: 2, below: 0, text: code }])
    expect(withoutSuggestions(text)).toBe('Before\n\n\nAfter')
  },
)

test('other blocks, and those within them, are no suggestions', () => {
  const text = '```\ncode\n```\n\n````md\n```suggestion\nx\n```\n````\n\n    ```suggestion\n    x\n    ```\n'
  expect([suggestionBlocks(text), withoutSuggestions(text)]).toEqual([[], text])
})

test('a block that is never closed goes to the end', () => {
  expect(suggestionBlocks('```suggestion:-1+9999999999')).toEqual([])
  expect(suggestionBlocks('x\n```suggestion:-1+999999\r\na\r\nb')).toEqual([
    { above: 1, below: 100, text: 'a\nb\n' },
  ])
})

test('very long texts are read in a moment', () => {
  expect(suggestionBlocks('```suggestion\n```\n'.repeat(50_000))).toHaveLength(20)
  expect(suggestionBlocks(`suggestion ${'`'.repeat(900_000)}x`)).toEqual([])
  expect(suggestionBlocks(`\`\`\`suggestion${' '.repeat(900_000)}x`)).toEqual([])
})
