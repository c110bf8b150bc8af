import { type RawBuilder, sql } from 'kysely'
import { containsWords } from '#platform/db/search.ts'
import type { ListFilter } from '#platform/lists/list-filter.ts'
import { append } from '#platform/sequences.ts'
import type { Condition } from '#planning/noteables/list/condition.ts'
import { has, isNoneOrAny, negated } from '#planning/noteables/list/conditions.ts'
import type { Filter, NegatableFilter } from '../parameters.ts'

/** For a filter that few epics pass, and whose index leads to them. The query has an epic as `e`. */
const few = (ids: RawBuilder<unknown>, test = sql<boolean>`(e.id in (${ids}))`): ListFilter => ({
  test,
  selectivity: 'few',
  source: { ids, exact: false },
})

const many = (test: Condition): ListFilter => ({ test, selectivity: 'many' })

/** What the filters of a list ask. */
export function filtersOf(filter: Filter, userId: number | null): ListFilter[] {
  const found: ListFilter[] = []
  const add = <T>(value: T | undefined, make: (value: T) => ListFilter | Condition) => {
    if (value === undefined) return
    const made = make(value)
    found.push('test' in made ? made : many(made))
  }
  const { state = 'all', iids = [], labels = [] } = filter
  if (state !== 'all') add(state, (one) => sql<boolean>`e.state = ${one}`)
  if (iids.length > 0) add(iids, (all) => sql<boolean>`e.iid = any(${all}::bigint[])`)
  add(filter.iid, (iid) => sql<boolean>`e.iid = ${iid}::bigint`)
  if (labels.length > 0) append(found, labelled(labels))
  add(filter.author_id, (author) => few(sql`select id from epics where author_id = ${author}`))
  add(filter.author_username, (name) => few(sql`select id from epics where author_id = ${userNamed(name)}`))
  add(filter.my_reaction_emoji, (emoji) => reacted(emoji, userId))
  add(filter.search, (term) =>
    few(sql`select s.id from epics s where ${containsWords('s.search', term, ['A', 'B', 'C', 'D'])}`),
  )
  add(filter.confidential, (confidential) => sql<boolean>`e.confidential = ${confidential}`)
  add(filter.created_after, (at) => sql<boolean>`e.created_at >= ${at}`)
  add(filter.created_before, (at) => sql<boolean>`e.created_at <= ${at}`)
  add(filter.updated_after, (at) => changed(sql`>= ${at}`))
  add(filter.updated_before, (at) => changed(sql`<= ${at}`))
  return [...found, ...unwanted(filter.not ?? {}, userId)]
}

/** The epics for which each filter of `not` is false. Of several labels, they have none. */
function unwanted(filter: NegatableFilter, userId: number | null): ListFilter[] {
  const tests: Condition[] = []
  if (filter.author_id !== undefined) tests.push(sql<boolean>`e.author_id <> ${filter.author_id}`)
  if (filter.author_username !== undefined)
    tests.push(negated(sql<boolean>`e.author_id = ${userNamed(filter.author_username)}`))
  append(tests, unlabelled(filter.labels ?? []))
  if (filter.my_reaction_emoji !== undefined)
    tests.push(negated(reacted(filter.my_reaction_emoji, userId).test))
  return tests.map(many)
}

const userNamed = (username: string) =>
  sql`(select u.id from users u where lower(u.username) = ${username.toLowerCase()})`

const changed = (range: RawBuilder<unknown>): Condition =>
  sql<boolean>`((select nt.updated_at from noteables nt where nt.id = e.id) ${range})`

/**
 * Epics with all of these labels; `none` and `any` ask whether there is a label. The statement's text has two forms, for one name
 * and for several, whatever their number.
 */
function labelled(names: readonly string[]): ListFilter[] {
  const { words, among } = readNames(names)
  const [first] = among
  const found = words.map((word) => many(has(word, anyLabel)))
  if (first === undefined) return found
  const ids = sql`select distinct c.epic_id as id from labels l join epic_labels c on c.label_id = l.id
    where l.name = ${first}`
  const all = sql<boolean>`((select count(distinct l.name) from epic_labels c join labels l on l.id = c.label_id
    where c.epic_id = e.id and l.name = any(${among}::text[])) = ${among.length})`
  return [...found, among.length === 1 ? few(ids) : few(ids, all)]
}

/** Epics with none of these labels. */
function unlabelled(names: readonly string[]): Condition[] {
  const { words, among } = readNames(names)
  const found = words.map((word) => negated(has(word, anyLabel)))
  if (among.length === 0) return found
  const carrying = sql`${anyLabel} and exists (
    select 1 from labels l where l.id = c.label_id and l.name = any(${among}::text[]))`
  return [...found, has('none', carrying)]
}

const anyLabel = sql`select 1 from epic_labels c where c.epic_id = e.id`

/** The names of labels, each once, and the words among them. */
function readNames(names: readonly string[]) {
  const words = new Set(names.map((name) => name.toLowerCase()).filter(isNoneOrAny))
  const among = [...new Set(names.filter((name) => !isNoneOrAny(name.toLowerCase())))]
  return { words: [...words], among }
}

/** By an emoji that the user gave; `none` and `any` ask whether there is one. */
function reacted(emoji: string, userId: number | null): ListFilter {
  const word = emoji.toLowerCase()
  const named = isNoneOrAny(word) ? sql`true` : sql`r.name = ${emoji}`
  const ids = sql`select distinct r.noteable_id as id from award_emoji r
    where r.user_id = ${userId ?? 0} and r.noteable_id is not null and ${named}`
  return word === 'none' ? many(sql<boolean>`((e.id in (${ids})) is not true)`) : few(ids)
}
