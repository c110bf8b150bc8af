import { expect, test } from 'vitest'
import { longestTurn } from '#test/quick.ts'
import { w } from '#test/world.ts'

test.each([
  '<div>',
  '> - ',
  '**a*',
  '*a* ',
  '[a](',
  '# a\n',
  '- [ ] a\n',
  '|a|b|\n|-|-|\n',
  'a@b.c ',
  '#1 @a ~b %c !2 ',
  '@a&',
  ':a:',
  'a\\#',
])('the worst texts keep nobody waiting for long: %j', async (part) => {
  const text = `|a|b|\n|-|-|\n\n${part.repeat(99_900 / part.length)}`
  const longest = await longestTurn(async () =>
    expect((await w.root.post('/markdown', { text, gfm: true })).status).toBe(201),
  )
  expect(longest).toBeLessThan(1_500)
})
