import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { BRANCHES } from '#code/git/names.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { listReferences, type Reference } from '#code/git/references.ts'
import type { StoredRepository } from '../rows.ts'

/** Milliseconds that git may take to write the pack. */
const TIME = 10 * 60_000

/** A pack that git has written beside the objects of its repository: it takes no room elsewhere, and git removes what a crash leaves. */
interface Packed extends AsyncDisposable {
  readonly folder: string
  readonly names: readonly string[]
}

/**
 * A tar archive of a bare repository, as git made it in the folder of that repository: its references, hidden ones among them, and one
 * pack of all that they need.
 * @param repository undefined where nobody has written yet: the archive holds an empty one.
 * @param branch what `HEAD` names.
 * @param signal ends the making when the client leaves.
 */
export async function takeSnapshot(
  repository: StoredRepository | undefined,
  branch: string,
  signal: AbortSignal,
): Promise<Readable> {
  const references = repository === undefined ? [] : await listReferences(repository, 'refs/')
  const packed = repository && (await pack(repository, references, signal))
  const files = packed?.names.map((name) => ({
    type: 'file' as const,
    source: join(packed.folder, name),
    target: `objects/pack/${name}`,
    mode: 0o444,
  }))
  const content = (target: string, text: string) => ({ type: 'content' as const, target, content: text })
  const lines = references.map(({ name, id }) => `${id} ${name}\n`)
  const { packTar } = await import('modern-tar/fs')
  const tar = packTar(
    [
      content('HEAD', `ref: ${BRANCHES}${branch}\n`),
      content('packed-refs', lines.join('')),
      ...FOLDERS.map((name) => content(name, '')),
      ...(files ?? []),
    ],
    {
      map: (header) =>
        FOLDERS.includes(header.name) ? { ...header, type: 'directory', mode: 0o755 } : header,
    },
  )
  tar.once('close', () => void packed?.[Symbol.asyncDispose]())
  signal.addEventListener('abort', () => tar.destroy(), { once: true })
  return tar
}

/** Git knows a repository by them, even when they are empty. */
const FOLDERS = ['refs/', 'objects/']

async function pack(
  repository: StoredRepository,
  references: readonly Reference[],
  signal: AbortSignal,
): Promise<Packed | undefined> {
  if (references.length === 0) return undefined
  const quarantine = await Quarantine.open(repository)
  const dispose = () => quarantine[Symbol.asyncDispose]()
  try {
    const folder = join(quarantine.objects, 'pack')
    const ids = new Set(references.map(({ id }) => id))
    await repository.git.capture(
      repository,
      ['pack-objects', '--revs', '-q', '--delta-base-offset', join(folder, 'pack')],
      { lane: 'transfer', time: TIME, signal, input: [...ids].map((id) => `${id}\n`).join('') },
    )
    return { folder, names: await readdir(folder), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
