import { type Draft, type Person, without } from './draft.ts'
import { listed, MAX_NAMES, peopleIn, userReference } from './names.ts'
import { type CommandContext, done, type CommandOutcome, commandFailed } from './quick-action.ts'

/** Adds people to the assignees. */
export function assign(draft: Draft, args: string, around: CommandContext): CommandOutcome {
  return withPeople('/assign', args, around, (people) => {
    const added = without(people, draft.assignees)
    if (added.length === 0) return done(`${allOf(people)} ${are(people)} assigned already.`)
    return done(`Assigned ${allOf(added)}.`, { assignees: [...draft.assignees, ...added] })
  })
}

/** Replaces the assignees. */
export function reassign(_: Draft, args: string, around: CommandContext): CommandOutcome {
  return withPeople('/reassign', args, around, (people) =>
    done(`Reassigned this issue to ${allOf(people)}.`, { assignees: people }),
  )
}

/** Also unassigns users who may no longer read the project, so it looks nobody up. */
export function unassign({ assignees }: Draft, args: string, { me }: CommandContext): CommandOutcome {
  const names = peopleIn(args, me)
  if (assignees.length === 0) return commandFailed('Nobody is assigned to this issue.')
  const removed =
    names.length === 0
      ? assignees
      : assignees.filter(({ username }) => names.includes(username.toLowerCase()))
  if (removed.length === 0)
    return done(
      `${listed(names.map(userReference))} ${names.length === 1 ? 'is' : 'are'} not assigned to this issue.`,
    )
  return done(`Unassigned ${allOf(removed)}.`, { assignees: without(assignees, removed) })
}

/** Does something with the named people, if all of them are known. */
export function withPeople<D extends Draft = Draft>(
  command: string,
  args: string,
  { me, known }: CommandContext,
  use: (people: readonly Person[]) => CommandOutcome<D>,
): CommandOutcome<D> {
  const names = peopleIn(args, me)
  if (names.length === 0) return commandFailed(`${command} needs somebody to assign.`)
  const missing = names.filter((name) => !known.people.has(name)).map(userReference)
  if (missing.length > 0) return commandFailed(`There is no ${listed(missing)} who may read this project.`)
  const people = new Map(
    names.flatMap((name) => known.people.get(name) ?? []).map((person) => [person.id, person]),
  )
  if (people.size > MAX_NAMES) return commandFailed(`${command} takes at most ${MAX_NAMES} people.`)
  return use([...people.values()])
}

/** People in a sentence. */
export const allOf = (people: readonly Person[]) =>
  listed(people.map(({ username }) => userReference(username)))
export const are = (people: readonly Person[]) => (people.length === 1 ? 'is' : 'are')
