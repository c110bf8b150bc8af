import { gzipSync } from 'node:zlib'
import { packTar, type TarHeader } from 'modern-tar'
import { expect } from 'vitest'
import type { Answer } from './client.ts'
import { type Actor, unique } from './world.ts'
import { until } from './until.ts'

/** Exports a project, and downloads the archive. */
export async function exportOf(by: Actor, id: number): Promise<Buffer<ArrayBuffer>> {
  expect((await by.post(`/projects/${id}/export`)).status).toBe(202)
  await until(async () =>
    expect((await by.get(`/projects/${id}/export`)).body.export_status).toBe('finished'),
  )
  const answer = await fetch(`${by.base}/api/v4/projects/${id}/export/download`, { headers: by.headers })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

export interface ArchiveEntry extends Partial<TarHeader> {
  readonly name: string
  readonly body?: string | Buffer
}

export const projectFile = {
  format: 1,
  name: 'Old',
  description: null,
  visibility: 'private',
  default_branch: null,
  topics: [],
  settings: {},
}

/** An archive with these files, after a good `project.json` unless there is another one. */
export async function archiveOf(...entries: readonly ArchiveEntry[]): Promise<Buffer<ArrayBuffer>> {
  const all: readonly ArchiveEntry[] = entries.some(({ name }) => name === 'project.json')
    ? entries
    : [{ name: 'project.json', body: JSON.stringify(projectFile) }, ...entries]
  const tar = await packTar(
    all.map(({ body = '', ...header }) => {
      const data = new Uint8Array(Buffer.from(body))
      return { header: { size: header.linkname === undefined ? data.length : 0, ...header }, data }
    }),
  )
  return gzipSync(tar)
}

/** Sends an archive as a form, as clients do. */
export function importOf(
  by: Actor,
  archive: Buffer<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = new FormData()
  form.append('file', new Blob([archive]), 'export.tar.gz')
  for (const [name, value] of Object.entries({ path: unique('read'), ...fields })) form.append(name, value)
  return by.send('POST', '/projects/import', { form })
}

/** Waits until an import has ended. @returns how */
export async function endOfImport(by: Actor, made: Answer) {
  expect([made.status, made.body.message]).toEqual([201, undefined])
  return until(async () => {
    const { body } = await by.get(`/projects/${made.body.id}/import`)
    expect(body.import_status).toMatch(/^(finished|failed)$/)
    return body
  })
}
