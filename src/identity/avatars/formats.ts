/** The media types of pictures that avatars may have, with the endings of their names. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

export const avatarMediaTypes = [...EXTENSIONS.keys()]

/** @returns undefined for what is no avatar. */
export const extensionOf = (mediaType: string | null | undefined): string | undefined =>
  EXTENSIONS.get(mediaType ?? '')
