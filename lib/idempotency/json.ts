/** Plain JSON data: what may be stored, and what crosses between functions. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}
