import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveMentions } from '#planning/references/resolve-mentions.ts'
import { type NoteableTarget, resolveNoteables } from '#planning/references/resolve-references.ts'
import { mentionGroups } from './mention-groups.ts'

/** The writer, and where the web pages live, whose URLs are references, too. */
export interface Writer {
  readonly viewer: Viewer
  readonly site: string
  /** Whether texts lead to nobody and nothing outside of their project or group, because strangers had a hand in them. */
  readonly onlyHere?: true
}

/** A text on a noteable. */
export interface NoteableText {
  readonly noteable: {
    readonly id: number
    /** The noteable's noun: `issue`. */
    readonly noun: string
    /** The reference to it within its container: `#12`. */
    readonly reference: string
    /** What stands between the path of the container and the reference elsewhere. */
    readonly separator?: string
  }
  /** The project, group or user that the noteable belongs to. */
  readonly namespace: TreePosition & { readonly full_path: string }
  /** Null for the noteable's own text. */
  readonly noteId: number | null
  /** Internal texts cause no system notes elsewhere. */
  readonly internal?: boolean
  /** Whether the text replaces an earlier one. */
  readonly changed?: boolean
}

/** How many other noteables one text can notify. */
const MAX_TOLD = 50

/**
 * Records the mentions in a text, and adds system notes to the noteables to which it refers: "mentioned in issue #12",
 * once each, on those that the writer may see.
 */
export async function recordMentions(
  tx: Tx,
  writer: Writer,
  source: NoteableText,
  text: string,
): Promise<void> {
  const { viewer, site } = writer
  const references = parseReferences(text, site)
  const { namespace_id } = source.namespace
  const { users, groups } = await resolveMentions(tx.db, viewer, namespace_id, references, writer)
  const named = users.filter(({ mayRead }) => mayRead).map(({ id }) => id)
  if (named.length > 0) {
    const fresh = await keepNamed(tx, source, named)
    // Who is told of a new text learns of the mention with it.
    if (source.changed && fresh.length > 0) record(tx, peopleMentioned(source, fresh, true))
  } else if (source.changed) {
    await forgetNamed(tx.db, { noteable: source.noteable.id, note: source.noteId })
  }
  if (groups.length > 0) {
    const group_ids = groups.map(({ id }) => id)
    const { noteable, noteId: note_id, changed = false } = source
    const author_id = tx.author?.id ?? null
    await enqueue(tx, mentionGroups, { noteable_id: noteable.id, note_id, group_ids, changed, author_id })
  }
  if (!source.internal) await tellNoteables(tx, writer, source, references)
}

/** Locks the noteables that texts mention and that their writer may see, because they get system notes. */
export async function lockMentioned(
  tx: Tx,
  writer: Writer,
  here: TreePosition,
  texts: readonly string[],
): Promise<void> {
  const references = texts.flatMap((text) => parseReferences(text, writer.site))
  const found = await noteablesNamed(tx, writer, here, references)
  const ids = found.map(({ id }) => id)
  if (ids.length > 0) await lockingMentioned(tx.db, { ids })
}

const lockingMentioned = statement({
  name: 'lock mentioned noteables',
  build: (_, param: Params<{ readonly ids: readonly number[] }>) => sql`
    select 1 from noteables where id = any((select ${param('ids')}::bigint[])::bigint[]) order by id for key share`,
  deferred: true,
})

async function keepNamed(
  tx: Tx,
  { noteable, noteId }: NoteableText,
  named: readonly number[],
): Promise<number[]> {
  const rows = await keeping(tx.db, { noteable: noteable.id, note: noteId, named })
  return rows.map(({ user_id }) => user_id)
}

/** A text, by the ids of its noteable and of its note; null for the noteable's own. */
interface TextKey {
  readonly noteable: number
  readonly note: number | null
}

const keeping = statement({
  name: 'keep mentions',
  build: (_, param: Params<TextKey & { readonly named: readonly number[] }>) => sql<{ user_id: number }>`
    with gone as (
      delete from user_mentions
        where noteable_id = ${param('noteable')} and note_id is not distinct from ${param('note')}::bigint
          and user_id <> all(${param('named')}::bigint[])
    )
    insert into user_mentions (noteable_id, note_id, user_id)
    select ${param('noteable')}::bigint, ${param('note')}::bigint, unnest(${param('named')}::bigint[])
    on conflict do nothing
    returning user_id`,
})

const forgetNamed = statement({
  name: 'forget mentions',
  build: (_, param: Params<TextKey>) => sql`
    delete from user_mentions
      where noteable_id = ${param('noteable')} and note_id is not distinct from ${param('note')}::bigint`,
  deferred: true,
})

function peopleMentioned(
  { noteable, namespace, noteId }: NoteableText,
  user_ids: readonly number[],
  changed: boolean,
) {
  return {
    name: 'people mentioned' as const,
    namespace: namespace.namespace_id,
    target: { type: 'Noteable', id: noteable.id },
    details: { note_id: noteId, user_ids, changed },
  }
}

/** What was found in each transaction, by who looked where for what. Found noteables are locked next, and stay. */
const foundBefore = new WeakMap<Tx['db'], Map<string, Promise<NoteableTarget[]>>>()

/** The noteables to which references lead for a writer. A text is looked at before it is written, and again after that. */
function noteablesNamed(
  { db }: Tx,
  writer: Writer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<NoteableTarget[]> {
  const names = references.map((reference) => JSON.stringify({ ...reference, start: 0, end: 0 }))
  const key = [writer.viewer.id, writer.onlyHere, here.namespace_id, ...names].join()
  const known = foundBefore.get(db) ?? new Map<string, Promise<NoteableTarget[]>>()
  foundBefore.set(db, known)
  const found = known.get(key) ?? findNamed(db, writer, here, references)
  known.set(key, found)
  return found
}

async function findNamed(
  db: Tx['db'],
  { viewer, onlyHere }: Writer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<NoteableTarget[]> {
  const found = await resolveNoteables(db, viewer, here, references)
  return onlyHere ? found.filter(({ namespace_id }) => namespace_id === here.namespace_id) : found
}

async function tellNoteables(
  tx: Tx,
  writer: Writer,
  { noteable, namespace }: NoteableText,
  references: readonly Reference[],
): Promise<void> {
  const found = await noteablesNamed(tx, writer, namespace, references)
  const targets = new Map(found.map((target) => [target.id, target]))
  targets.delete(noteable.id)
  const mentions = [...targets.values()].map((target) => ({ noteable, namespace, target }))
  await tellOfMentions(tx, mentions, MAX_TOLD)
}

/** A noteable to which the text of another one refers. */
export interface Mention extends Pick<NoteableText, 'noteable' | 'namespace'> {
  readonly target: NoteableTarget
}

/**
 * Adds system notes to mentioned noteables, which are locked. Where another noteable was mentioned before by the same one, nothing
 * is added.
 */
export async function tellOfMentions(tx: Tx, mentions: readonly Mention[], most: number): Promise<void> {
  const told = await alreadyTold(tx, mentions)
  const untold = mentions.filter(({ noteable, target }) => !told.has(`${noteable.id} ${target.id}`))
  record(tx, ...untold.slice(0, most).map(mentionOf))
}

function mentionOf({
  target,
  noteable: { id, noun, reference, separator = '' },
  namespace: { namespace_id, full_path },
}: Mention) {
  const container = target.namespace_id === namespace_id ? '' : `${full_path}${separator}`
  return target.kind.mentioned(target, { id, noun, reference: `${container}${reference}` })
}

/** The mentions that are noted, each as the ids of both sides. */
async function alreadyTold(tx: Tx, mentions: readonly Mention[]): Promise<ReadonlySet<string>> {
  if (mentions.length === 0) return new Set()
  const sources = new Set(mentions.map(({ noteable }) => noteable.id))
  const targets = new Set(mentions.map(({ target }) => target.id))
  const rows = await toldOf(tx.db, { sources: [...sources], targets: [...targets] })
  return new Set(rows.map(({ noteable_id, about_noteable_id }) => `${about_noteable_id} ${noteable_id}`))
}

/** The ids of mentioning noteables and of mentioned ones. */
interface Pairs {
  readonly sources: readonly number[]
  readonly targets: readonly number[]
}

const toldOf = statement({
  name: 'noted mentions',
  build: (_, param: Params<Pairs>) => sql<{ noteable_id: number; about_noteable_id: number }>`
    select noteable_id, about_noteable_id from notes
      where mention and about_noteable_id = any((select ${param('sources')}::bigint[])::bigint[])
        and noteable_id = any((select ${param('targets')}::bigint[])::bigint[])`,
})
