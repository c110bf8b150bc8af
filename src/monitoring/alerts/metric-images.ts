import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import {
  entity,
  file,
  integer,
  moment,
  NoContent,
  nullable,
  pictureAnswers,
  rules,
  text,
} from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import {
  addImage,
  changeImage,
  deleteImage,
  findImage,
  imageOrder,
  type ImageRow,
  imagesOf,
} from './images.ts'
import { ByAlert } from './parameters.ts'
import { findAlert, lockAlert } from './queries.ts'

/** A picture of a metric, which shows why there is an alert. */
export const MetricImage = entity('MetricImage', {
  id: integer(),
  created_at: moment(),
  filename: Type.String(),
  file_path: Type.String({ description: 'Where the picture is, below the address of the server.' }),
  url: nullable(Type.String()),
  url_text: nullable(Type.String()),
})

/** The largest picture, in bytes. */
const MAX_IMAGE = 1024 * 1024
/** The kinds of pictures that are accepted, by what the file itself says. */
const kinds = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/x-icon',
  'image/tiff',
]

const link = {
  url: Type.Optional(nullable(text({ description: 'Where the metric can be seen: an http or https URL.' }))),
  url_text: Type.Optional(nullable(text({ max: 128, description: 'What the link says.' }))),
}
const NewImage = Type.Object({ file: file({ max: MAX_IMAGE, description: 'A picture.' }), ...link })
const ImageChanges = Type.Object(link, rules({ atLeastOneOf: ['url', 'url_text'] }))
const ByImage = Type.Object({
  ...ByAlert.properties,
  image_id: integer({ minimum: 1, description: 'The id of a picture.' }),
})

const COLLECTION = '/projects/:id/alert_management_alerts/:alert_iid/metric_images'

/** Pictures of metrics that people add to alerts. */
export const metricImageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const present = (req: { params: { alert_iid: number } }, path: string, row: ImageRow) => ({
    id: row.id,
    created_at: iso(row.created_at),
    filename: row.filename,
    file_path: `/api/v4/projects/${encodeURIComponent(path)}/alert_management_alerts/${req.params.alert_iid}/metric_images/${row.id}/file`,
    url: row.url,
    url_text: row.url_text,
  })

  app.get(
    COLLECTION,
    {
      config: reads(project('read_alert')),
      schema: {
        summary: 'List the pictures of metrics of an alert',
        params: ByAlert,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(MetricImage) },
      },
    },
    async (req, reply) => {
      const { container } = req.project()
      const { id } = await findAlert(db, container.id, req.params.alert_iid)
      const rows = await paginate(req, reply, imagesOf(db, id), imageOrder)
      return rows.map((row) => present(req, container.full_path, row))
    },
  )

  app.post(
    COLLECTION,
    {
      config: writes(project('update_alert')),
      schema: {
        summary: 'Add a picture of a metric to an alert',
        params: ByAlert,
        body: NewImage,
        refuses: [400],
        response: { 201: MetricImage },
      },
    },
    async (req) => {
      const { file: given, url = null, url_text = null } = req.body
      assertLink(url)
      const { container } = req.project()
      await findAlert(db, container.id, req.params.alert_iid)
      const { fileTypeFromBuffer } = await import('file-type')
      const found = await fileTypeFromBuffer(given.data).catch(() => undefined)
      if (found === undefined || !kinds.includes(found.mime)) throw invalid({ file: ['is not a picture'] })
      const stored = await services.files.store(given.data, { max: MAX_IMAGE, mediaType: found.mime })
      const filename = safeFileName(given.filename)
      const row = await req.write(async (tx) =>
        addImage(tx, await lockAlert(tx, container.id, req.params.alert_iid), {
          file_id: stored.id,
          filename,
          url,
          url_text,
        }),
      )
      return present(req, container.full_path, row)
    },
  )

  app.put(
    `${COLLECTION}/:image_id`,
    {
      config: writes(project('update_alert')),
      schema: {
        summary: 'Change the link of a picture of a metric',
        params: ByImage,
        body: ImageChanges,
        refuses: [400],
        response: { 200: MetricImage },
      },
    },
    async (req) => {
      const { url, url_text } = req.body
      assertLink(url ?? null)
      const { container } = req.project()
      const row = await req.write(async (tx) =>
        changeImage(tx, await lockAlert(tx, container.id, req.params.alert_iid), req.params.image_id, {
          ...(url !== undefined && { url }),
          ...(url_text !== undefined && { url_text }),
        }),
      )
      return present(req, container.full_path, row)
    },
  )

  app.delete(
    `${COLLECTION}/:image_id`,
    {
      config: writes(project('update_alert')),
      schema: {
        summary: 'Remove a picture of a metric from an alert',
        params: ByImage,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = req.project().container
      await req.write(async (tx) =>
        deleteImage(tx, await lockAlert(tx, id, req.params.alert_iid), req.params.image_id),
      )
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: `${COLLECTION}/:image_id/file`,
    config: reads(project('read_alert')),
    schema: { summary: 'Get a picture of a metric', params: ByImage, response: pictureAnswers },
    handler: async (req, reply) => {
      const alert = await findAlert(db, req.project().container.id, req.params.alert_iid)
      const { file_id, filename } = await findImage(db, alert.id, req.params.image_id)
      const stored = await services.files.find(file_id)
      if (stored?.mediaType == null) throw notFound('File')
      return sendFile(req, reply, stored, { filename, mediaType: stored.mediaType, inline: true })
    },
  })
}

/** @throws 400 for a link that browsers would run instead of following it */
function assertLink(url: string | null): void {
  if (url === null || url === '') return
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw invalid({ url: ['is not an http or https URL'] })
}

/** The last part of a sent path, without what is not fit for a header. */
function safeFileName(sent: string): string {
  const base = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
  const name = base
    .toWellFormed()
    .replaceAll(/[\p{Cc}]/gu, '')
    .slice(-255)
  return name === '' ? 'picture' : name
}
