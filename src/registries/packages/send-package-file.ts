import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { transact } from '#platform/db/transaction.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { notFound } from '#platform/refusals.ts'
import { isWorthNoting, type NamedFile, noteDownload, servedFile } from './queries.ts'

/** Sends the newest file under a name of the project that a request names, whole or in part. @throws 404 */
export async function sendPackageFile(
  req: FastifyRequest,
  reply: FastifyReply,
  named: NamedFile,
): Promise<Readable | undefined> {
  const { db, services } = req.server
  const found = await servedFile(db, req.project().container.id, named)
  const file = found && (await services.files.find(found.file_id))
  if (found === undefined || file === undefined) throw notFound()
  if (isWorthNoting(found.last_downloaded_at, services.clock.now()))
    await transact(services, { author: null, ip: null }, (tx) => noteDownload(tx, found.package_id))
  return sendFile(req, reply, file, {
    filename: found.file_name.slice(found.file_name.lastIndexOf('/') + 1),
    mediaType: 'application/octet-stream',
    inline: false,
  })
}
