import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Folder = AsyncDisposable & { readonly path: string }

/** A temporary folder that no other account can look into, deleted when disposed. */
export async function privateFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'forgelet-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The same for data: another account may pass through it, because PostgreSQL does not run as root. */
export async function temporaryFolder(): Promise<Folder> {
  const folder = await privateFolder()
  await chmod(folder.path, 0o711)
  return folder
}
