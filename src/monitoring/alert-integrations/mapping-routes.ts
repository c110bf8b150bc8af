import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mappedFields } from '#monitoring/alert-receiver/payload/fields.ts'
import { authorizeProject } from '#platform/access/authorize.ts'
import { page } from '#platform/access/route-access.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { askAgain, type Problems, typed } from '#platform/pages/forms.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { mappingOf } from './entity.ts'
import { assertMayMap, readIntegrationValues } from './given.ts'
import { mappingPage } from './mapping-page.ts'
import { PAGE, pageOf } from './page.ts'
import { MappingForm, MOST_PATHS, OneIntegration } from './parameters.ts'
import { findIntegration, lockIntegration } from './queries.ts'
import { updateIntegration } from './update-integration.ts'

const PATH = `${PAGE}/:integration_id/mapping`

/** The page where Maintainers map the fields of payloads. */
export const mappingPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(PATH, { config: page('signed in'), schema: { params: OneIntegration } }, async (req, reply) =>
    show(req, reply, req.params),
  )

  app.post(
    PATH,
    {
      config: page('signed in'),
      schema: { params: OneIntegration, body: MappingForm },
      errorHandler: askAgain((req, reply, problems) => show(req, reply, placeIn(req), problems)),
    },
    async (req, reply) => {
      const { id, integration_id } = req.params
      const { container } = await authorized(req, id)
      assertMayMap(req)
      const asked = { mapping: pathsIn(req.body), sample_payload: req.body.sample_payload.trim() || null }
      await req.write(async (tx) => {
        const row = await lockIntegration(tx, container.id, integration_id)
        const given = readIntegrationValues(req, asked, { mapping: {}, sample_payload: null })
        await updateIntegration(tx, row, container.namespace_id, given)
      })
      return reply.redirect(pageOf(container.id), 303)
    },
  )
}

type Place = { readonly id: number; readonly integration_id: number }

/** The paths that were typed, one in a line. @throws 400 for too many, or too long ones */
function pathsIn(body: Readonly<Record<string, string>>): Record<string, string[]> {
  const typedPaths = mappedFields.map((name) => {
    const lines = (body[name] ?? '').split('\n').map((line) => line.trim())
    return [name, lines.filter((line) => line !== '')] as const
  })
  const tooMany = typedPaths.filter(([, paths]) => paths.length > MOST_PATHS.count)
  const tooLong = typedPaths.filter(([, paths]) => paths.some((path) => path.length > MOST_PATHS.length))
  if (tooMany.length + tooLong.length > 0)
    throw invalid({
      ...Object.fromEntries(tooMany.map(([name]) => [name, [`has more than ${MOST_PATHS.count} paths`]])),
      ...Object.fromEntries(
        tooLong.map(([name]) => [name, [`has a path of more than ${MOST_PATHS.length} characters`]]),
      ),
    })
  return Object.fromEntries(typedPaths.filter(([, paths]) => paths.length > 0).map(([n, p]) => [n, [...p]]))
}

const authorized = ({ server, viewer }: FastifyRequest, id: number) =>
  authorizeProject(server.db, viewer, String(id), 'admin_alert_integration')

function placeIn({ params }: FastifyRequest): Place {
  if (typeof params === 'object' && params !== null && 'id' in params && 'integration_id' in params)
    return { id: Number(params.id), integration_id: Number(params.integration_id) }
  throw notFound()
}

async function show(
  req: FastifyRequest,
  reply: FastifyReply,
  { id, integration_id }: Place,
  problems?: Problems,
): Promise<FastifyReply> {
  const { container } = await authorized(req, id)
  assertMayMap(req)
  const row = await findIntegration(req.server.db, container.id, integration_id)
  const mapping = mappingOf(row.mapping)
  const kept = (name: string) => {
    if (name === 'sample_payload')
      return row.sample_payload === null ? '' : JSON.stringify(row.sample_payload, null, 2)
    return Object.entries(mapping)
      .filter(([field]) => field === name)
      .flatMap(([, paths]) => paths)
      .join('\n')
  }
  const body = mappingPage(req, {
    projectId: container.id,
    integration: row,
    // The API names a field as `mapping[title]`.
    problems: Object.fromEntries(
      Object.entries(problems ?? {}).map(([name, texts]) => [name.replace(/^mapping\[(.+)\]$/, '$1'), texts]),
    ),
    value: problems === undefined ? kept : (name) => typed(req, name),
  })
  return sendPage(req, reply, { title: `Mapping of ${row.name}`, body })
}
