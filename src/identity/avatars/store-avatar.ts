import type { UploadedFile } from '#platform/http/schema.ts'
import type { Files } from '#platform/files/files.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { readAvatar } from './read-avatar.ts'

/** Parameters in which the id of the stored avatar replaces the file; null removes the avatar. */
export type WithStoredAvatar<T> = Omit<T, 'avatar'> & { readonly avatar?: string | null }

/**
 * Stores the avatar among the parameters, if there is one. Call it before the transaction: files that no transaction
 * refers to are removed later.
 * @throws 400 for what cannot be an avatar, 503 or 507 when it cannot be stored.
 */
export async function withStoredAvatar<T extends { readonly avatar?: UploadedFile | null | undefined }>(
  { files, settings }: { readonly files: Files; readonly settings: () => Settings },
  { avatar, ...others }: T,
): Promise<WithStoredAvatar<T>> {
  if (avatar === undefined) return others
  if (avatar === null) return { ...others, avatar: null }
  const { data, mediaType } = await readAvatar(avatar, { reencode: settings().reencode_avatars })
  const { id } = await files.store(data, { max: data.length, mediaType })
  return { ...others, avatar: id }
}
