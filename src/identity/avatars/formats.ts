/** The media types that avatars may have, with their file extensions. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

export const avatarMediaTypes = [...EXTENSIONS.keys()]

/** @returns undefined when avatars cannot have this media type. */
export const extensionOf = (mediaType: string | null | undefined): string | undefined =>
  EXTENSIONS.get(mediaType ?? '')
