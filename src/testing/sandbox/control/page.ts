export interface PageFile {
  /** The media type, for example `text/html; charset=utf-8`. */
  readonly type: string
  /** The gzip-compressed bytes, in base64. */
  readonly body: string
}

/** The files of the inspector page, by name. The build replaces this module. */
export const pageFiles: Readonly<Record<string, PageFile>> = {}
