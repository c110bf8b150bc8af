import type { UploadedFile } from '#http/schema.ts'
import { invalid } from '#http/errors.ts'

/** Bytes of a file as it is sent: longer ones are refused as parameters. */
export const MAX_AVATAR = 200 * 1024
/** Pixels of each side as it is sent; a small file may hold a picture that fills the memory. */
export const MAX_SIDE = 4096
/** Pixels of each side as it is kept: twice the largest size at which pages show one. */
export const KEPT_SIDE = 256

const FORMATS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

const refuse = (sentence: string) => invalid({ avatar: [sentence] })

/**
 * The picture in an uploaded file as a small PNG, made anew: whatever else the file held (where a photo was taken,
 * a second meaning as another kind of file) stays behind. Of an animation the first picture is kept.
 * @throws 400 for what is too large, of another kind, or broken. Names and media types that are sent do not count.
 */
export async function readAvatar({ data }: UploadedFile): Promise<Buffer> {
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(data).catch(() => undefined)
  if (found === undefined || !FORMATS.has(found.mime)) {
    throw refuse('is not an image of a supported kind (PNG, JPEG, GIF or WebP)')
  }
  const picture = await openPicture(data)
  try {
    return await picture
      .autoOrient()
      .resize(KEPT_SIDE, KEPT_SIDE, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9 })
      .timeout({ seconds: 5 })
      .toBuffer()
  } catch {
    throw refuse('cannot be read as an image')
  }
}

async function openPicture(data: Buffer) {
  const sharp = await loadSharp()
  const size = await sharp(data, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (size === undefined) throw refuse('cannot be read as an image')
  if (size.width > MAX_SIDE || size.height > MAX_SIDE) {
    throw refuse(`is too large (maximum is ${MAX_SIDE} by ${MAX_SIDE} pixels)`)
  }
  // Truncated and otherwise faulty files are refused instead of guessed at.
  return sharp(data, { failOn: 'warning', limitInputPixels: MAX_SIDE * MAX_SIDE })
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
