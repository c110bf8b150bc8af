import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { takeFromMinute } from '#platform/http/limits.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { lockMentioned, recordMentions } from '#planning/noteables/record-mentions.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { createEpic } from './create-epic.ts'
import { deleteEpic } from './delete-epic.ts'
import { Epic, EpicSingle } from './entity.ts'
import { mentioningEpic } from './facts-about.ts'
import { listEpics } from './list-epics.ts'
import { ByEpic, EpicChanges, EpicFilter, NewEpic } from './parameters.ts'
import { epicAudienceOf, presentSingleEpic } from './present.ts'
import { findEpic, forConfidentiality, lockEpic, type SingleEpicRow } from './queries.ts'
import { epicQuickActions } from './quick-actions.ts'
import { heldInPlace, namesLabels, resolveChanges } from './resolve-changes.ts'
import { setParent } from './set-parent.ts'
import { epicTier as tier } from './tier.ts'
import { findParent, lockTree } from './tree.ts'
import { updateEpic } from './update-epic.ts'

const deprecated = true

/** Epics of groups. */
export const epicRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/epics',
    {
      config: reads(group('read_epic'), { tier }),
      schema: {
        summary: 'List the epics of a group and its subgroups',
        deprecated,
        params: ById,
        querystring: EpicFilter,
        response: { 200: Type.Array(Epic) },
      },
    },
    (req, reply) => listEpics(req, reply),
  )

  app.get(
    '/groups/:id/epics/:epic_iid',
    {
      config: reads(group('read_epic'), { tier }),
      schema: { summary: 'Get an epic', deprecated, params: ByEpic, response: { 200: EpicSingle } },
    },
    async (req) => {
      const epic = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      return presentSingleEpic(epic, epicAudienceOf(req))
    },
  )

  app.post(
    '/groups/:id/epics',
    {
      config: writes(group('admin_epic'), { tier }),
      schema: {
        summary: 'Open an epic',
        description: 'The setting `issues_create_limit` limits epics per minute, too.',
        deprecated,
        params: ById,
        body: NewEpic,
        refuses: [422],
        response: { 201: EpicSingle },
      },
    },
    async (req) => {
      const epic = await openEpic(req, req.body)
      return presentSingleEpic(epic, epicAudienceOf(req))
    },
  )

  app.put(
    '/groups/:id/epics/:epic_iid',
    {
      config: writes(group('admin_epic'), { tier }),
      schema: {
        summary: 'Change an epic',
        deprecated,
        params: ByEpic,
        body: EpicChanges,
        refuses: [412, 422],
        response: { 200: EpicSingle },
      },
    },
    async (req) => presentSingleEpic(await change(req, req.params.epic_iid, req.body), epicAudienceOf(req)),
  )

  app.delete(
    '/groups/:id/epics/:epic_iid',
    {
      config: writes(group('delete_epic'), { tier }),
      schema: {
        summary: 'Delete an epic',
        description: 'Its issues and child epics stay.',
        deprecated,
        params: ByEpic,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        await lockTree(tx, req.group().container)
        const named = { iid: req.params.epic_iid }
        const epic = await lockEpic(tx, req.viewer, req.group(), named, 'deletion')
        assertUnmodified(req, epic.updated_at)
        await deleteEpic(tx, epic)
      })
    },
  )
}

/** Opens an epic, below another one if it names one. */
export async function openEpic(
  req: FastifyRequest,
  { created_at, parent_id, ...asked }: Static<typeof NewEpic>,
): Promise<SingleEpicRow> {
  const { viewer } = req
  const submitted = new SubmittedDescription(asked.description, epicQuickActions)
  await takeFromMinute(req, 'issues_create_limit')
  return req.write(async (tx) => {
    await submitted.lockNamed(tx, req)
    const authorized = await heldInPlace(tx, req.group())
    const { container } = authorized
    if (parent_id) await lockTree(tx, container)
    const {
      state_event: _,
      title = asked.title,
      ...rest
    } = await resolveChanges(tx, authorized, submitted.textIn(asked))
    const parent = parent_id ? await findParent(tx, viewer, parent_id) : null
    const text = `${title}\n\n${rest.description ?? ''}`
    await lockMentioned(tx, req, container, text)
    const made = await createEpic(tx, container, {
      ...rest,
      title,
      confidential: asked.confidential ?? parent?.confidential ?? false,
      created_at: authorized.can('set_epic_created_at') ? created_at : undefined,
    })
    const source = { noteable: mentioningEpic(made), namespace: container, noteId: null }
    await recordMentions(tx, req, source, text)
    const epic = await findEpic(tx.db, viewer, authorized, { id: made.id })
    if (parent !== null) await setParent(tx, epic, parent)
    if (!(await submitted.obey(tx, req, made.id)) && parent === null) return epic
    return findEpic(tx.db, viewer, authorized, { id: made.id })
  })
}

async function change(
  req: FastifyRequest,
  iid: number,
  { updated_at, parent_id, ...asked }: Static<typeof EpicChanges>,
): Promise<SingleEpicRow> {
  const { viewer } = req
  const submitted = new SubmittedDescription(asked.description, epicQuickActions)
  return req.write(async (tx) => {
    await submitted.lockNamed(tx, req)
    const authorized = namesLabels(asked) ? await heldInPlace(tx, req.group()) : req.group()
    const { container } = authorized
    if (parent_id !== undefined) await lockTree(tx, container)
    const resolved = await resolveChanges(tx, authorized, asked)
    const parent = parent_id ? await findParent(tx, viewer, parent_id) : null
    await lockMentioned(tx, req, container, `${asked.title ?? ''}\n\n${asked.description ?? ''}`)
    const epic = await lockEpic(tx, viewer, authorized, { iid }, forConfidentiality(asked.confidential))
    assertUnmodified(req, epic.updated_at)
    const asBefore = submitted.isThatOf(epic)
    const changes = asBefore ? resolved : submitted.textIn(resolved)
    const at = authorized.can('set_epic_created_at') ? updated_at : undefined
    const updated = await updateEpic(tx, epic, changes, at)
    const moved =
      parent_id !== undefined && (await setParent(tx, { ...epic, ...visibility(changes) }, parent))
    const { title = epic.title, description = epic.description } = changes
    const source = { noteable: mentioningEpic(epic), namespace: container, noteId: null, changed: true }
    if (changes.title !== undefined || changes.description !== undefined)
      await recordMentions(tx, req, source, `${title}\n\n${description ?? ''}`)
    const obeyed = !asBefore && (await submitted.obey(tx, req, epic.id))
    return updated || moved || obeyed ? findEpic(tx.db, viewer, authorized, { id: epic.id }) : epic
  })
}

const visibility = ({ confidential }: { readonly confidential?: boolean }) =>
  confidential === undefined ? {} : { confidential }
