import { type Draft, type Label, without } from './draft.ts'
import { labelReference, labelsIn, listed, readReference } from './names.ts'
import { type CommandContext, done, type Known, type CommandOutcome, commandFailed } from './quick-action.ts'

export function addLabels({ labels }: Draft, args: string, { known, noun }: CommandContext): CommandOutcome {
  const { found, rest } = find(args, known)
  if (found.length === 0) return commandFailed(rest === '' ? '/label needs labels.' : rest)
  const added = without(found, labels)
  const says =
    added.length === 0 ? `This ${noun} has ${all(found)} already.` : `Added ${all(added)} ${plural(added)}.`
  return done(join(says, rest), { labels: [...labels, ...added] })
}

export function replaceLabels(_: Draft, args: string, { known }: CommandContext): CommandOutcome {
  const { found, rest } = find(args, known)
  if (found.length === 0) return commandFailed(rest === '' ? '/relabel needs labels.' : rest)
  return done(join(`Replaced all labels with ${all(found)}.`, rest), { labels: found, labelsReplaced: true })
}

/** Also removes labels that can no longer be used here, so it looks none up. */
export function removeLabels({ labels }: Draft, args: string, { noun }: CommandContext): CommandOutcome {
  if (labels.length === 0) return commandFailed(`This ${noun} has no labels.`)
  const written = labelsIn(args)
  if (written.length === 0) return done('Removed all labels.', { labels: [], labelsReplaced: true })
  const meant = written.flatMap((one) => readReference(one) ?? [])
  const removed = labels.filter(({ id, name }) => meant.some((one) => one.name === name || one.number === id))
  if (removed.length === 0) return done(`This ${noun} has no ${listed(written)}.`)
  return done(`Removed ${all(removed)} ${plural(removed)}.`, { labels: without(labels, removed) })
}

/** The named labels that exist, and a sentence about those that do not. */
function find(args: string, { labels }: Known): { found: Label[]; rest: string } {
  const written = labelsIn(args)
  const missing = written.filter((one) => !labels.has(one))
  const found = new Map(written.flatMap((one) => labels.get(one) ?? []).map((label) => [label.id, label]))
  const rest = missing.length === 0 ? '' : `There is no label ${listed(missing)} here.`
  return { found: [...found.values()], rest }
}

const all = (labels: readonly Label[]) => listed(labels.map(({ name }) => labelReference(name)))
const plural = (labels: readonly Label[]) => (labels.length === 1 ? 'label' : 'labels')
const join = (says: string, rest: string) => (rest === '' ? says : `${says} ${rest}`)
