import { expect, test } from 'vitest'
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
  const rendering = w.root.post('/markdown', { text, gfm: true })
  let longest = 0
  let last = performance.now()
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  const { status } = await rendering
  clearInterval(watch)
  expect(status).toBe(201)
  // Half a second on a quiet machine.
  expect(longest).toBeLessThan(4_000)
})
