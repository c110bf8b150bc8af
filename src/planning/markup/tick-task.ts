import { conflict } from '#platform/refusals.ts'
import { tasksIn } from './render-markdown.ts'

/** A box that somebody ticked in a text that they saw. */
export interface Tick {
  /** Which of the boxes, from 0. */
  readonly task: number
  /** How many boxes they saw. */
  readonly of: number
  readonly done: boolean
}

/** What comes before the text of an item: signs of quotes and lists, and its box. */
const BEFORE = /^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])[\s>]+)*\[)[ xX](?=\])/

/**
 * A text in which a task is done, or to be done again.
 * @throws 409 when the text has other boxes than were seen: it was changed, or boxes are written as HTML
 */
export async function tickTask(text: string, { task, of, done }: Tick): Promise<string> {
  const tasks = await tasksIn(text)
  const line = tasks[task]
  // Every second part is the end of a line: Markdown knows three kinds of them.
  const parts = text.split(/(\r\n?|\n)/)
  const before = line === undefined ? undefined : parts[line * 2]
  if (line === undefined || before === undefined || tasks.length !== of || !BEFORE.test(before))
    throw conflict(
      '409 Conflict - these are not the tasks that you saw. Look at the text again, or change it.',
    )
  return parts.with(line * 2, before.replace(BEFORE, `$1${done ? 'x' : ' '}`)).join('')
}
