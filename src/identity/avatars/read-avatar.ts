import type { UploadedFile } from '#platform/http/schema.ts'
import { invalid } from '#platform/http/errors.ts'
import { avatarMediaTypes } from './formats.ts'
import { withoutMetadata } from './jpeg-metadata.ts'

/** Bytes of a file as it is sent: longer ones are refused as parameters. */
export const MAX_AVATAR = 200 * 1024
/** Pixels of each side as it is sent; a small file may hold a picture that fills the memory. */
export const MAX_SIDE = 4096
/** Pixels of each side when it is made anew: twice the largest size at which pages show one. */
export const KEPT_SIDE = 256

const refuse = (sentence: string) => invalid({ avatar: [sentence] })
const unreadable = () => refuse('cannot be read as an image')

/** A picture as it is kept. */
export interface ReadAvatar {
  readonly data: Buffer
  readonly mediaType: string
}

/**
 * The picture in an uploaded file: as it is, but a JPEG without what it tells besides the picture, such as where it was
 * taken. With `reencode`, a small PNG made anew instead: whatever else the file held stays behind, and of an animation
 * the first picture is kept. Either way all of the picture is decoded once, so that what is broken is refused.
 * @throws 400 for what is too large, of another kind, or broken. Names and media types that are sent do not count.
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
  // Truncated and otherwise faulty files are refused instead of guessed at.
  const picture = sharp(data, { failOn: 'warning', limitInputPixels: MAX_SIDE * MAX_SIDE })
  return { picture, orientation: size.orientation }
}

/** Loaded at the first upload: a start need not wait for it. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  // Of the many readers that the library brings, only those for the formats above.
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
