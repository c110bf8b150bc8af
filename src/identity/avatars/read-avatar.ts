import type { UploadedFile } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { avatarMediaTypes } from './formats.ts'
import { withoutMetadata } from './jpeg-metadata.ts'

/** The largest file, in bytes, before processing. The limit on parameters refuses longer ones. */
export const MAX_AVATAR = 200 * 1024
/** The largest side, in pixels, before processing: a small file may hold a picture that fills the memory. */
export const MAX_SIDE = 4096
/** The largest side, in pixels, of a re-encoded picture: twice the largest size at which pages show one. */
export const KEPT_SIDE = 256

const refuse = (sentence: string) => invalid({ avatar: [sentence] })
const unreadable = () => refuse('cannot be read as an image')

/** A picture as it is stored. */
export interface ReadAvatar {
  readonly data: Buffer
  readonly mediaType: string
}

/**
 * Reads the picture in an uploaded file. It stays as it is, except that JPEGs lose metadata such as where they were
 * taken. With `reencode`, the result is a new, small PNG: it drops everything else in the file, and of an animation it
 * keeps the first picture. Either way the whole picture is decoded once, so that broken files are refused.
 * @throws 400 for files that are too large, of another kind, or broken. The sent names and media types do not count.
 */
export async function readAvatar(
  { data }: UploadedFile,
  { reencode }: { readonly reencode: boolean },
): Promise<ReadAvatar> {
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(data).catch(() => undefined)
  if (found === undefined || !avatarMediaTypes.includes(found.mime)) {
    throw refuse('is not an image of a supported kind (PNG, JPEG, GIF or WebP)')
  }
  const { picture, orientation } = await openPicture(data)
  const small = await picture
    .autoOrient()
    .resize(KEPT_SIDE, KEPT_SIDE, { fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: reencode ? 9 : 1 })
    .timeout({ seconds: 5 })
    .toBuffer()
    .catch(() => undefined)
  if (small === undefined) throw unreadable()
  if (reencode) return { data: small, mediaType: 'image/png' }
  if (found.mime !== 'image/jpeg') return { data, mediaType: found.mime }
  const bare = withoutMetadata(data, orientation)
  if (bare === undefined) throw unreadable()
  return { data: bare, mediaType: found.mime }
}

async function openPicture(data: Buffer) {
  const sharp = await loadSharp()
  const size = await sharp(data, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (size === undefined) throw unreadable()
  if (size.width > MAX_SIDE || size.height > MAX_SIDE) {
    throw refuse(`is too large (maximum is ${MAX_SIDE} by ${MAX_SIDE} pixels)`)
  }
  // Refuses truncated and otherwise faulty files instead of guessing.
  const picture = sharp(data, { failOn: 'warning', limitInputPixels: MAX_SIDE * MAX_SIDE })
  return { picture, orientation: size.orientation }
}

/** Loads the library at the first upload, so that the server starts faster. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  // Unblocks, of the library's many readers, only those for the formats above.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: [
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadNsgifBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  })
  return sharp
}
