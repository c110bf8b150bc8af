import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { tickTask } from '#planning/markup/tick-task.ts'
import { type Html, html } from '#platform/http/html.ts'
import { badRequest } from '#platform/refusals.ts'
import { type Action, untilUnmodified } from '../frame/action.ts'

const Ticked = Type.Object({
  task: Type.String({ pattern: '^\\d{1,4}$' }),
  of: Type.String({ pattern: '^\\d{1,4}$' }),
  done: Type.Union([Type.Literal('true'), Type.Literal('false')]),
})

/** How many tasks of a text are done; undefined if it has none. */
export const tasksDone = (tasks: {
  readonly count: number
  readonly completed_count: number
}): Html | undefined =>
  tasks.count === 0
    ? undefined
    : html`<span class="tasks-done">${tasks.completed_count} of ${tasks.count} done</span>`

/** A text with tasks, and when what has it was changed last. */
interface Texted {
  readonly text: string | null
  readonly updated_at: string
}

/**
 * Ticks a box in a text. Nobody's change is lost: a text that is another one meanwhile is read again. The script of the page asks for it (tasks.island.ts): without it, one changes the text.
 * @param schema what the API answers for what has the text
 * @param parameter the one that sets the text
 */
export const ticks =
  <S extends TSchema>(
    schema: S,
    { path, parameter, to }: { readonly path: string; readonly parameter: string; readonly to: string },
    textOf: (one: Static<S>) => Texted,
  ): Action =>
  async (api, parameters) => {
    if (!Check(Ticked, parameters)) throw badRequest('task, of and done say which task is done')
    const tick = {
      task: Number(parameters.task),
      of: Number(parameters.of),
      done: parameters.done === 'true',
    }
    await untilUnmodified(
      async () => textOf(await api.get(schema, path)),
      async ({ text, updated_at }) => {
        const changed = { [parameter]: await tickTask(text ?? '', tick) }
        return api.sendIfUnmodified('PUT', path, changed, updated_at)
      },
    )
    return { says: tick.done ? 'The task is done.' : 'The task is to be done.', to }
  }
