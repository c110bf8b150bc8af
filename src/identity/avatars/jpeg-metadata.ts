const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
const [APP0, APP1, APP2, APP14, APP15, COMMENT] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe]

/** Segments that describe how the picture looks: its density and its colours. All other application data is removed. */
const KEPT: ReadonlyMap<number, string> = new Map([
  [APP0, 'JFIF\0'],
  [APP2, 'ICC_PROFILE\0'],
  [APP14, 'Adobe'],
])

/**
 * Removes a JPEG's metadata: where and with what it was taken, comments, previews, and anything after its end. The
 * bytes of the picture itself stay the same.
 * @param orientation the Exif orientation, from 1 to 8, which is kept.
 * @returns undefined when the segments cannot be followed to the end.
 */
export function withoutMetadata(data: Buffer, orientation = 1): Buffer | undefined {
  if (data[0] !== 0xff || data[1] !== SOI) return undefined
  const kept: Buffer[] = [data.subarray(0, 2)]
  if (orientation > 1 && orientation <= 8) kept.push(orientationOnly(orientation))
  for (let at = 2; ;) {
    const start = at
    if (data[at] !== 0xff) return undefined
    while (data[at] === 0xff) at += 1
    const marker = data[at]
    if (marker === undefined || marker === 0) return undefined
    if (marker === EOI) return Buffer.concat([...kept, data.subarray(start, at + 1)])
    if (at + 3 > data.length) return undefined
    const content = at + 3
    let end = at + 1 + data.readUInt16BE(at + 1)
    if (end < content || end > data.length) return undefined
    if (marker === SOS) end = endOfScan(data, end)
    if (isKept(marker, data.subarray(content, end))) kept.push(data.subarray(start, end))
    at = end
  }
}

function isKept(marker: number, content: Buffer): boolean {
  if (marker === COMMENT) return false
  if (marker < APP0 || marker > APP15) return true
  const beginning = KEPT.get(marker)
  return beginning !== undefined && content.subarray(0, beginning.length).toString('latin1') === beginning
}

/** Finds the next marker after compressed data, which may contain stuffed bytes and restart markers. */
function endOfScan(data: Buffer, from: number): number {
  for (let at = data.indexOf(0xff, from); at >= 0; at = data.indexOf(0xff, at + 1)) {
    const next = data[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return data.length
}

/** Exif data with one entry in big-endian TIFF: the tag Orientation (0x0112), one short. Its value is at byte 24. */
const ORIENTATION_ONLY = '4578696600004d4d002a00000008000101120003000000010000000000000000'

function orientationOnly(orientation: number): Buffer {
  const exif = Buffer.from(ORIENTATION_ONLY, 'hex')
  exif.writeUInt16BE(orientation, 24)
  const head = Buffer.from([0xff, APP1, 0, 0])
  head.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([head, exif])
}
