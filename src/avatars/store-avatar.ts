import type { UploadedFile } from '#http/schema.ts'
import type { Services } from '#services.ts'
import { readAvatar } from './read-avatar.ts'

/** Parameters with the key of the stored avatar in the place of the file; null takes the avatar away. */
export type WithStoredAvatar<T> = Omit<T, 'avatar'> & { readonly avatar?: string | null }

/**
 * Stores the avatar among the parameters, if there is one. To be done before the transaction: a file that no
 * transaction points to is removed later.
 * @throws 400 for what cannot be an avatar.
 */
export async function withStoredAvatar<T extends { readonly avatar?: UploadedFile | null | undefined }>(
  { blobs }: Pick<Services, 'blobs'>,
  { avatar, ...others }: T,
): Promise<WithStoredAvatar<T>> {
  if (avatar === undefined) return others
  const key = avatar === null ? null : await blobs.put('avatars', await readAvatar(avatar))
  return { ...others, avatar: key }
}
