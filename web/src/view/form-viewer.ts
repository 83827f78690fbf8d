// SPDX-License-Identifier: Apache-2.0
// pdf.js, loaded when somebody asks for a preview. All its files come from this server.
import * as pdfjs from "pdfjs-dist";
import "pdfjs-dist/web/pdf_viewer.css";

const HOME = "/pdfjs";

/** Shows a PDF in a container; gives the function that ends it. */
export async function showPdf(container: HTMLDivElement, data: ArrayBuffer): Promise<() => void> {
  // The viewer of pdf.js looks for the library under this name.
  (globalThis as typeof globalThis & { pdfjsLib: typeof pdfjs }).pdfjsLib = pdfjs;
  const { EventBus, PDFLinkService, PDFViewer } = await import("pdfjs-dist/web/pdf_viewer.mjs");
  pdfjs.GlobalWorkerOptions.workerSrc = `${HOME}/pdf.worker.min.mjs`;
  const task = pdfjs.getDocument({
    data,
    cMapUrl: `${HOME}/cmaps/`,
    standardFontDataUrl: `${HOME}/standard_fonts/`,
    wasmUrl: `${HOME}/wasm/`,
    iccUrl: `${HOME}/iccs/`,
    enableXfa: false,
  });
  const document = await task.promise;
  const eventBus = new EventBus();
  const linkService = new PDFLinkService({ eventBus });
  const viewer = new PDFViewer({
    container,
    eventBus,
    linkService,
    textLayerMode: 0,
    annotationMode: pdfjs.AnnotationMode.ENABLE_FORMS,
    annotationEditorMode: pdfjs.AnnotationEditorType.DISABLE,
  });
  eventBus.on("pagesinit", () => {
    viewer.currentScaleValue = "page-width";
  });
  linkService.setViewer(viewer);
  viewer.setDocument(document);
  linkService.setDocument(document, null);
  return () => {
    viewer.setDocument(null as never);
    void task.destroy();
  };
}
