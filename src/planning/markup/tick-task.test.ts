import { expect, test } from 'vitest'
import { tickTask } from './tick-task.ts'

const TEXT = `- [ ] one
- [x] two
  1. [ ] inside
> - [ ] quoted

\`\`\`
- [ ] code
\`\`\`

* not a task [ ]
* [ ] last`

test.each([
  [0, true, '- [x] one'],
  [1, false, '- [ ] two'],
  [2, true, '  1. [x] inside'],
  [3, true, '> - [x] quoted'],
  [4, true, '* [x] last'],
])('ticks task %i of a text: %s', async (task, done, line) => {
  const ticked = await tickTask(TEXT, { task, of: 5, done })
  const lines = TEXT.split('\n')
  const changed = ticked.split('\n').filter((one, index) => one !== lines[index])
  expect(changed).toEqual([line])
})

test('a task that is as it should be stays so', async () => {
  expect(await tickTask(TEXT, { task: 1, of: 5, done: true })).toBe(TEXT)
})

test('ticks the task that was seen, whatever ends the lines', async () => {
  const text = 'a\r\r- [ ] one\r\n- [ ] two\n- [ ] three\r- [ ] four'
  for (const [task, word] of ['one', 'two', 'three', 'four'].entries())
    expect(await tickTask(text, { task, of: 4, done: true })).toBe(text.replace(`[ ] ${word}`, `[x] ${word}`))
})

test.each([
  ['a text with another number of tasks', TEXT, { task: 0, of: 4, done: true }],
  ['a task that is not there', TEXT, { task: 5, of: 5, done: true }],
  ['a text without tasks', '', { task: 0, of: 1, done: true }],
  [
    'a text that is shown as it was written',
    `- [ ] a\n${'x'.repeat(100_000)}`,
    { task: 0, of: 1, done: true },
  ],
])('refuses %s', async (_, text, tick) => {
  await expect(tickTask(text, tick)).rejects.toMatchObject({
    message: expect.stringContaining('not the tasks'),
  })
})
