import { open } from 'node:fs/promises'

/** Makes sure that the names in a folder survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
