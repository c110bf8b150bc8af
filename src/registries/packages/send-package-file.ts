import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { transact } from '#platform/db/transaction.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { notFound } from '#platform/refusals.ts'
import { isWorthNoting, type NamedFile, noteDownload, servedFile } from './queries.ts'

/** A file of a package that may be downloaded. */
interface ServedFile {
  readonly package_id: number
  readonly last_downloaded_at: string | null
  readonly file_id: string
  readonly file_name: string
}

/** Sends the newest file under a name of the project that a request names, whole or in part. @throws 404 */
export const sendPackageFile = async (
  req: FastifyRequest,
  reply: FastifyReply,
  named: NamedFile,
): Promise<Readable | undefined> =>
  sendServedFile(req, reply, await servedFile(req.server.db, req.project().container.id, named))

/** Sends a file that was found, whole or in part. @throws 404 where none was */
export async function sendServedFile(
  req: FastifyRequest,
  reply: FastifyReply,
  found: ServedFile | undefined,
): Promise<Readable | undefined> {
  const { services } = req.server
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
