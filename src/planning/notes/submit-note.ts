import type { FastifyRequest } from 'fastify'
import type { Tx } from '#platform/db/transaction.ts'
import { emojiOnly } from '#planning/award-emoji/emoji.ts'
import type { AwardRow } from '#planning/award-emoji/entity.ts'
import { awardableNoteable } from '#planning/award-emoji/awardables.ts'
import { giveAward } from '#planning/award-emoji/give-award.ts'
import { findAward } from '#planning/award-emoji/queries.ts'
import { badRequest } from '#platform/refusals.ts'
import type { CommandsResult, QuickActions } from '#planning/noteables/kind.ts'
import { mentioning } from '#planning/noteables/items/item-text.ts'
import { recordMentions } from '#planning/noteables/record-mentions.ts'
import { parseQuickActions } from '#planning/quick-actions/parse-quick-actions.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NewNote } from '#planning/noteables/note-schemas.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import type { NewSuggestion } from '#planning/noteables/suggesting.ts'
import { insertNoteRow, type Thread } from './insert-note-row.ts'
import { type Commands, type CommandsOnly, noCommands, type NoteRow } from './entity.ts'
import { assertMayComment } from './policy.ts'
import type { SingleNote } from './queries.ts'

/** The result of a submitted body. */
type SubmitResult =
  /** A note, and the result of the commands in it. */
  | { readonly kind: 'note'; readonly note: SingleNote; readonly commands: Commands }
  /** No note: the body had nothing but commands. */
  | { readonly kind: 'commands'; readonly answer: CommandsOnly }

/** The writer's request. */
export type NoteWriter = Pick<FastifyRequest, 'viewer' | 'site' | 'user' | 'server' | 'project' | 'group'>

/** A submitted note, with what was found out before the transaction. */
export interface PreparedNote extends NewNote {
  /** Its position on a diff. */
  readonly placed?: NotePosition | undefined
  /** What it suggests instead of the lines there. */
  readonly suggested?: readonly NewSuggestion[] | undefined
  /** What its commands do; undefined where all text is text. */
  readonly actions: QuickActions | undefined
}

/** No note: the body was an emoji and became a reaction. */
interface ReactionResult {
  readonly kind: 'award'
  readonly award: AwardRow
}

/**
 * Writes a submitted body as a single note; an emoji alone becomes a reaction.
 * @throws 404 for a reaction that was given before, and as {@link submitNoteToThread} does.
 */
export async function submitNote(
  tx: Tx,
  req: NoteWriter,
  on: Noteable,
  asked: PreparedNote,
): Promise<SubmitResult | ReactionResult> {
  const emoji = emojiOnly(asked.body)
  if (emoji === undefined) return submitNoteToThread(tx, req, on, asked, undefined)
  assertMayComment(on, internalOf(asked))
  return { kind: 'award', award: await react(tx, on, emoji) }
}

/**
 * Turns a submitted body into a note or something else; nothing else does this. It checks the writer's rights, reads
 * the body, and writes.
 *
 * @param thread the discussion to reply to, `new` to start one, undefined for a single note.
 * @throws 403 for callers who may not write here, 400 for commands none of which could be applied.
 */
export async function submitNoteToThread(
  tx: Tx,
  req: NoteWriter,
  on: Noteable,
  asked: PreparedNote,
  thread: Thread | 'new' | undefined,
): Promise<SubmitResult> {
  const internal = typeof thread === 'object' ? thread.internal : internalOf(asked)
  assertMayComment(on, internal)
  const acted = await applyCommands(tx, req, on, asked)
  if (acted?.text === '') return { kind: 'commands', answer: commandsOnly(acted) }
  const body = acted?.text ?? asked.body
  const created_at = on.container.may('setCreatedAt') ? asked.created_at : undefined
  const { placed: position, suggested } = asked
  const note = await insertNoteRow(tx, on, { body, internal, created_at, position, suggested, thread })
  await recordNoteMentions(tx, req, on, note)
  return { kind: 'note', note, commands: acted ?? noCommands }
}

const internalOf = ({ internal, confidential }: NewNote) => internal ?? confidential ?? false

async function react(tx: Tx, { kind, id, container }: Noteable, emoji: string): Promise<AwardRow> {
  const on = awardableNoteable(kind, { id, namespace_id: container.namespace.namespace_id })
  return findAward(tx.db, on, await giveAward(tx, on, emoji))
}

/** The result of the commands in a body, and the rest of it. */
interface AppliedCommands extends CommandsResult {
  /** The body without them. */
  readonly text: string
}

/** Applies the commands in a body; undefined when there are none. */
async function applyCommands(
  tx: Tx,
  req: NoteWriter,
  { key }: Noteable,
  { actions, ...asked }: PreparedNote,
): Promise<AppliedCommands | undefined> {
  if (actions === undefined) return undefined
  const { commands, text } = parseQuickActions(asked.body, actions.actions)
  if (commands.length === 0) return undefined
  return { text, ...(await actions.apply(tx, req, key, commands, asked)) }
}

/** @throws 400 with the reasons when no command was applied */
function commandsOnly({ applied, changes, summary }: CommandsResult): CommandsOnly {
  if (!applied) throw badRequest(summary.join(' '))
  return { commands_changes: changes, summary: [...summary] }
}

/** Records the mentions and references in a note. */
export async function recordNoteMentions(
  tx: Tx,
  writer: Pick<NoteWriter, 'viewer' | 'site'>,
  on: Noteable,
  { id, body, internal }: Pick<NoteRow, 'id' | 'body' | 'internal'>,
  changed = false,
): Promise<void> {
  const { kind, container } = on
  const noteable = mentioning(kind, on)
  await recordMentions(
    tx,
    writer,
    { noteable, namespace: container.namespace, noteId: id, internal, changed },
    body,
  )
}
