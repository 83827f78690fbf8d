// SPDX-License-Identifier: Apache-2.0
// Prints what pdf.js sees of a form: one JSON array of annotations per page.
import { readFile } from "node:fs/promises";

// pdf.js expects these browser classes when it loads; reading annotations never uses them.
for (const name of ["DOMMatrix", "ImageData", "Path2D"]) {
  globalThis[name] ??= class {};
}
const { getDocument, VerbosityLevel } = await import("pdfjs-dist/legacy/build/pdf.mjs");

const PRINT = 4;
const data = new Uint8Array(await readFile(process.argv[2]));
const document = await getDocument({ data, verbosity: VerbosityLevel.ERRORS }).promise;
const pages = [];
for (let number = 1; number <= document.numPages; number++) {
  const page = await document.getPage(number);
  const annotations = await page.getAnnotations({ intent: "display" });
  pages.push(
    annotations.map((item) => ({
      subtype: item.subtype,
      fieldType: item.fieldType,
      fieldName: item.fieldName,
      fieldValue: item.fieldValue,
      alternativeText: item.alternativeText,
      print: (item.annotationFlags & PRINT) !== 0,
      hasAppearance: item.hasAppearance,
      exportValue: item.exportValue,
      checkBox: item.checkBox,
      radioButton: item.radioButton,
      buttonValue: item.buttonValue,
      textAlignment: item.textAlignment,
      multiLine: item.multiLine,
      comb: item.comb,
      maxLen: item.maxLen,
      rotation: item.rotation,
      fontSize: item.defaultAppearanceData?.fontSize,
      fontName: item.defaultAppearanceData?.fontName,
      rect: item.rect,
      url: item.url,
    })),
  );
}
await document.destroy();
process.stdout.write(JSON.stringify(pages));
