# SPDX-License-Identifier: Apache-2.0
"""AcroMELD as users run it: one ONNX file and onnxruntime.

`contract` is what the runtime must know of a trained model, `canvas` puts a page on the model's canvas,
`inputs` reads everything the model sees, `weights` opens and checks the file, `detector` puts them together.
Training reads pages through the same modules, so that a model meets in use what it met while learning.
"""
